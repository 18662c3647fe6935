"""The columns of ClickBench's table `hits` that no question reads but `SELECT *`, and what each of them holds here.

Moments and days have types of their own, as where the benchmark makes tables, not the numbers of its Parquet files.
"""

from __future__ import annotations

COLUMNS = (
    "WatchID", "JavaEnable", "Title", "GoodEvent", "EventTime", "EventDate", "CounterID", "ClientIP", "RegionID", "UserID",
    "CounterClass", "OS", "UserAgent", "URL", "Referer", "IsRefresh", "RefererCategoryID", "RefererRegionID", "URLCategoryID",
    "URLRegionID", "ResolutionWidth", "ResolutionHeight", "ResolutionDepth", "FlashMajor", "FlashMinor", "FlashMinor2",
    "NetMajor", "NetMinor", "UserAgentMajor", "UserAgentMinor", "CookieEnable", "JavascriptEnable", "IsMobile", "MobilePhone",
    "MobilePhoneModel", "Params", "IPNetworkID", "TraficSourceID", "SearchEngineID", "SearchPhrase", "AdvEngineID",
    "IsArtifical", "WindowClientWidth", "WindowClientHeight", "ClientTimeZone", "ClientEventTime", "SilverlightVersion1",
    "SilverlightVersion2", "SilverlightVersion3", "SilverlightVersion4", "PageCharset", "CodeVersion", "IsLink", "IsDownload",
    "IsNotBounce", "FUniqID", "OriginalURL", "HID", "IsOldCounter", "IsEvent", "IsParameter", "DontCountHits", "WithHash",
    "HitColor", "LocalEventTime", "Age", "Sex", "Income", "Interests", "Robotness", "RemoteIP", "WindowName", "OpenerName",
    "HistoryLength", "BrowserLanguage", "BrowserCountry", "SocialNetwork", "SocialAction", "HTTPError", "SendTiming",
    "DNSTiming", "ConnectTiming", "ResponseStartTiming", "ResponseEndTiming", "FetchTiming", "SocialSourceNetworkID",
    "SocialSourcePage", "ParamPrice", "ParamOrderID", "ParamCurrency", "ParamCurrencyID", "OpenstatServiceName",
    "OpenstatCampaignID", "OpenstatAdID", "OpenstatSourceID", "UTMSource", "UTMMedium", "UTMCampaign", "UTMContent", "UTMTerm",
    "FromTag", "HasGCLID", "RefererHash", "URLHash", "CLID",
)  # fmt: skip
"""All 105, in their order."""

MOMENTS = ("ClientEventTime", "LocalEventTime")
"""Close to the moment of the event."""

BIG_INTEGERS = ("FUniqID", "ParamPrice")
INTEGERS = (
    "RefererRegionID", "URLRegionID", "IPNetworkID", "SilverlightVersion3", "CodeVersion", "HID", "RemoteIP", "WindowName",
    "OpenerName", "SendTiming", "DNSTiming", "ConnectTiming", "ResponseStartTiming", "ResponseEndTiming", "FetchTiming", "CLID",
)  # fmt: skip
"""Of 32 bits; whatever is neither named here nor made in `data.py` has 16."""

TEXTS = {
    "FlashMinor2": 12, "UserAgentMinor": 40, "Params": 200, "PageCharset": 4, "OriginalURL": 1000, "HitColor": 5,
    "BrowserLanguage": 20, "BrowserCountry": 60, "SocialNetwork": 6, "SocialAction": 4, "SocialSourcePage": 30,
    "ParamOrderID": 100, "ParamCurrency": 3, "OpenstatServiceName": 8, "OpenstatCampaignID": 40, "OpenstatAdID": 80,
    "OpenstatSourceID": 40, "UTMSource": 20, "UTMMedium": 6, "UTMCampaign": 60, "UTMContent": 60, "UTMTerm": 90, "FromTag": 40,
}  # fmt: skip
"""How many different ones there are; the first of them is empty, and the most frequent one."""

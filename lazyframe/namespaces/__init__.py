"""The methods of expressions that fit one sort of type: `.str`, `.dt`, `.list`, `.struct` and `.bin`."""

from lazyframe.namespaces.binary import BinaryNamespace
from lazyframe.namespaces.dates import DateNamespace
from lazyframe.namespaces.lists import ListNamespace
from lazyframe.namespaces.strings import StringNamespace
from lazyframe.namespaces.structs import StructNamespace

__all__ = ["BinaryNamespace", "DateNamespace", "ListNamespace", "StringNamespace", "StructNamespace"]

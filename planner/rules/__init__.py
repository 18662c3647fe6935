"""The rules of the optimizer, one a file, and the phases in which they are applied."""

from __future__ import annotations

from lazyframe.planner.relations import Join, Shared, TopK
from lazyframe.planner.rules.answer_from_metadata import answer_from_metadata
from lazyframe.planner.rules.derive_filters_across_keys import derive_filters_across_keys
from lazyframe.planner.rules.derive_filters_from_alternatives import derive_filters_from_alternatives
from lazyframe.planner.rules.factor_filter import factor_filter
from lazyframe.planner.rules.filter_null_keys import filter_null_keys
from lazyframe.planner.rules.fold_constants import fold_constants
from lazyframe.planner.rules.forget_order import forget_order
from lazyframe.planner.rules.inline_shared import inline_shared
from lazyframe.planner.rules.left_join_to_anti import left_join_to_anti
from lazyframe.planner.rules.mark_join_to_semi import mark_join_to_semi
from lazyframe.planner.rules.merge_comparisons import merge_comparisons
from lazyframe.planner.rules.merge_distincts import merge_distincts
from lazyframe.planner.rules.merge_filters import merge_filters
from lazyframe.planner.rules.merge_limit_into_sort import merge_limit_into_sort
from lazyframe.planner.rules.merge_limits import merge_limits
from lazyframe.planner.rules.merge_projects import merge_projects
from lazyframe.planner.rules.merge_sorts import merge_sorts
from lazyframe.planner.rules.merge_unions import merge_unions
from lazyframe.planner.rules.merge_windows import merge_windows
from lazyframe.planner.rules.order_joins import order_joins
from lazyframe.planner.rules.outer_join_to_inner import outer_join_to_inner
from lazyframe.planner.rules.part_shared import part_shared
from lazyframe.planner.rules.prune_empty_inputs import prune_empty_inputs
from lazyframe.planner.rules.push_aggregate_below_join import push_aggregate_below_join
from lazyframe.planner.rules.push_condition_below_join import push_condition_below_join
from lazyframe.planner.rules.push_filter_below_aggregate import push_filter_below_aggregate
from lazyframe.planner.rules.push_filter_below_asof_join import push_filter_below_asof_join
from lazyframe.planner.rules.push_filter_below_distinct import push_filter_below_distinct
from lazyframe.planner.rules.push_filter_below_explode import push_filter_below_explode
from lazyframe.planner.rules.push_filter_below_full_join import push_filter_below_full_join
from lazyframe.planner.rules.push_filter_below_join import push_filter_below_join
from lazyframe.planner.rules.push_filter_below_project import push_filter_below_project
from lazyframe.planner.rules.push_filter_below_set_operation import push_filter_below_set_operation
from lazyframe.planner.rules.push_filter_below_sort import push_filter_below_sort
from lazyframe.planner.rules.push_filter_below_union import push_filter_below_union
from lazyframe.planner.rules.push_filter_below_window import push_filter_below_window
from lazyframe.planner.rules.push_filter_into_scan import push_filter_into_scan
from lazyframe.planner.rules.push_filters_into_shared import push_filters_into_shared
from lazyframe.planner.rules.push_join_filters import push_join_filters
from lazyframe.planner.rules.push_limit_below_join import push_limit_below_join
from lazyframe.planner.rules.push_limit_below_project import push_limit_below_project
from lazyframe.planner.rules.push_limit_below_row_index import push_limit_below_row_index
from lazyframe.planner.rules.push_limit_below_union import push_limit_below_union
from lazyframe.planner.rules.push_limit_into_scan import push_limit_into_scan
from lazyframe.planner.rules.push_negation import push_negation
from lazyframe.planner.rules.push_projection import push_projection
from lazyframe.planner.rules.push_threshold_into_scan import push_threshold_into_scan
from lazyframe.planner.rules.push_top_k_below_join import push_top_k_below_join
from lazyframe.planner.rules.push_top_k_below_union import push_top_k_below_union
from lazyframe.planner.rules.read_struct_fields import read_struct_fields
from lazyframe.planner.rules.remove_constant_keys import remove_constant_keys
from lazyframe.planner.rules.remove_distinct import remove_distinct
from lazyframe.planner.rules.remove_join import remove_join
from lazyframe.planner.rules.remove_trivial_project import remove_trivial_project
from lazyframe.planner.rules.rule import Phase
from lazyframe.planner.rules.simplify_cases import simplify_cases
from lazyframe.planner.rules.simplify_comparisons import simplify_comparisons
from lazyframe.planner.rules.simplify_filter import simplify_filter
from lazyframe.planner.rules.simplify_limit import simplify_limit
from lazyframe.planner.rules.simplify_patterns import simplify_patterns
from lazyframe.planner.rules.simplify_predicates import simplify_predicates
from lazyframe.planner.rules.simplify_scan import simplify_scan
from lazyframe.planner.rules.simplify_sort import simplify_sort
from lazyframe.planner.rules.unwrap_casts import unwrap_casts
from lazyframe.planner.rules.unwrap_dates import unwrap_dates
from lazyframe.planner.rules.unwrap_structs import unwrap_structs
from lazyframe.planner.rules.window_to_partition_top_k import window_to_partition_top_k
from lazyframe.planner.rules.window_to_row_index import window_to_row_index

# What is said of expressions, wherever they stand.
_SCALARS = (
    fold_constants,
    unwrap_casts,
    unwrap_dates,
    unwrap_structs,
    simplify_comparisons,
    simplify_cases,
    simplify_patterns,
    push_negation,
    simplify_predicates,
    merge_comparisons,
)

_PUSHING = (
    merge_filters,
    factor_filter,
    push_filter_into_scan,
    push_filter_below_project,
    mark_join_to_semi,
    outer_join_to_inner,
    left_join_to_anti,
    push_filter_below_join,
    push_filter_below_full_join,
    push_condition_below_join,
    filter_null_keys,
    push_filter_below_asof_join,
    push_filter_below_aggregate,
    push_filter_below_union,
    push_filter_below_sort,
    push_filter_below_distinct,
    push_filter_below_window,
    window_to_partition_top_k,
    push_filter_below_explode,
    push_filter_below_set_operation,
    push_limit_below_project,
    merge_limits,
    merge_limit_into_sort,
    push_limit_below_union,
    push_limit_below_join,
    push_top_k_below_union,
    push_top_k_below_join,
)

PHASES: tuple[Phase, ...] = (
    Phase("inline", (inline_shared,), order="whole", where=Shared),
    # What merges with what stands below, bottom-up: a chain of verbs collapses as it is walked.
    Phase(
        "collapse",
        (
            *_SCALARS,
            simplify_filter,
            merge_filters,
            mark_join_to_semi,
            push_filter_below_project,
            push_filter_below_sort,
            push_filter_into_scan,
            remove_trivial_project,
            merge_projects,
            simplify_limit,
            merge_limits,
            push_limit_below_project,
            merge_limit_into_sort,
            merge_sorts,
            simplify_sort,
            merge_windows,
            merge_distincts,
            remove_distinct,
            merge_unions,
            remove_constant_keys,
            prune_empty_inputs,
        ),
    ),
    # What passes others, top-down: filters and limits gather on their way to the scans.
    Phase(
        "push down",
        _PUSHING,
        order="top_down",
    ),
    # What a condition of both sides asks of one of them; what is known of one side holds for keys of the other.
    Phase("derive filters", (derive_filters_from_alternatives, derive_filters_across_keys), order="whole", where=Join),
    Phase("push derived filters", _PUSHING, order="top_down", follows=True),
    # Filters that have come to stand over shared rows go on below them, as far as they have something in common.
    Phase("narrow shared rows", (push_filters_into_shared,), order="whole", where=Shared),
    Phase("push down from shared rows", _PUSHING, order="top_down", follows=True),
    # Where filters have been pushed down, relations are known to be small.
    Phase("order joins", (forget_order, order_joins, push_aggregate_below_join), order="whole"),
    Phase("part shared rows", (part_shared,), order="whole", where=Shared),
    Phase("prune columns", (remove_join, push_projection, read_struct_fields), order="whole"),
    Phase(
        "clean up",
        (
            *_SCALARS,
            simplify_scan,
            simplify_filter,
            remove_trivial_project,
            merge_projects,
            simplify_sort,
            merge_windows,
            merge_distincts,
            remove_distinct,
            remove_constant_keys,
            prune_empty_inputs,
            window_to_row_index,
            push_limit_below_project,
            push_limit_below_row_index,
            simplify_limit,
            merge_limits,
            push_limit_into_scan,
            answer_from_metadata,
        ),
    ),
    # Rules before this one may take apart or move what a name given by a join would no longer reach.
    Phase("know keys", (push_join_filters,), order="whole", where=Join),
    Phase("know thresholds", (push_threshold_into_scan,), order="whole", where=TopK),
)

__all__ = ["PHASES"]

"""Texts that the page on two classes fills as its controls are turned."""

from __future__ import annotations

PAGE_TEXTS = {
    "at_least": "at least {low}",
    "assumed": "Assumed: {question}.",
    # facts and tables
    "interval": "95 %: {low} to {high}",
    "in_expectation": "in expectation",
    "best_throughout": "it is the best throughout",
    "above_best": "more than the best",
    "per_100_rows": "per 100 rows",
    "of_100_positives": "more of 100 positives",
    "of_100_negatives": "fewer of 100 negatives",
    "ratio": "{negatives} negatives per positive",
    "more_choices": "and {count} more settings between them",
    "more_winners": "and {count} more ranges",
    "times": "a miss is as bad as … false alarms, at a prevalence of {prevalence}",
    "limit_label": "limit",
    "slopes": "{name}: slopes {slopes}",
    "at": "{name} at {threshold}",
    "within_limits": "the recommendation, within the limits",
    "between_vertices": "the recommendation, between the vertices",
    # how far the choice depends on what is unknown
    "costs_unused": "Costs play no part in this question.",
    "all_known": "Everything counts as known, at slope {slopes}. Turn a number into a range to see "
    "how far the choice depends on it.",
    "allowed": "What you know allows slopes from {slopes}. {settings}{limited}.",
    "one_setting": "One setting is best throughout",
    "own_settings": "{count} settings of one classifier can be best",
    "settings": "{count} settings of {classifiers} classifiers can be best",
    "without_limits": ", if there were no limits",
    # beliefs
    "belief": "You hold that a miss is {ratio} times as bad as a false alarm{likely}. Below, who "
    "is best for each share, at a prevalence of {prevalence}.",
    "own_belief": "The report was made for the belief that a miss is {ratio} times as bad as a "
    "false alarm{likely}. Below, who is best for each share, at a prevalence of {prevalence}.",
    "no_belief": "State a ratio of costs to see how likely each classifier is to be the best.",
    "likely": ", most likely {likely} times",
    # what is wrong with a value
    "not_number": "Write a number, for example {example}.",
    "not_interval": "Write a number or an interval, for example {example}.",
    "decimal_comma": "Write {number}, with a point.",
    "negative": "It cannot be negative.",
    "share": "It is a share, from 0 to 1 or in %.",
    "percent": "It is a share: write {percent} % or {share}.",
    "too_large": "That is too large: take a larger unit.",
    "too_many_times": "At most 1,000,000,000 times, or inf for an open end.",
    "descending": "The low end lies above the high end.",
    # what is wrong with a question
    "balance": "State the class balance: the classifiers were evaluated on different rows.",
    "one_balance": "A metric takes one number here.",
    "two_classes": "Both classes must occur: more than 0 and less than 1.",
    "right_above_wrong": "The correct decision cannot cost more than the error.",
    "free_errors": "One of the two errors must always cost more than the correct decision.",
    "one_unit": "Beside a ratio of costs, this is the unit: one number above 0.",
    "likely_outside": "It must lie within the bounds of the ratio.",
    "no_population": "State the population, or its positives and negatives.",
    "empty_population": "There must be more than 0 cases.",
    "no_limit": "State a limit: without one, always alarming catches the most.",
    # why there is no answer
    "infeasible": "No setting meets these limits, not even with a coin. Relax a limit.",
    "needs_coin": "No single setting meets these limits; with a coin one does. Allow it, or relax "
    "a limit.",
    "undefined": "The metric is undefined at every setting that is allowed.",
    "infinite": "The expected cost is infinite: one error can cost any number of times the other. "
    "Close the open end, state the most likely ratio, or the cost of a miss as the unit.",
    "no_slope": "Errors that cannot occur meet errors that cost nothing: exclude a prevalence of 0 "
    "and 1, or give every error a cost.",
}

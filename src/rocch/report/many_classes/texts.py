"""The texts of a report on several classes, as templates that its page fills as well."""

from __future__ import annotations

from rocch.templates import Template

# Texts for a kind of rule end with the kind, or with your_costs, which are the question's own.
TEXTS: dict[str, Template] = {
    name: Template.parse(text)
    for name, text in {
        # what to use, as an instruction
        "use_always": "Always predict {class}",
        "use_own_predictions": "Use {model}'s own predictions",
        "use_most_likely_class": "Use {model}'s most likely class",
        "use_least_expected_cost": "Use {model}, predicting by the costs of this rule",
        "use_your_costs": "Use {model}, predicting by your costs",
        "model_with_settings": "{model} ({settings})",
        # the same in few words, for tables
        "label_always": "always {class}",
        "label_own_predictions": "{model}",
        "label_most_likely_class": "{model}, most likely class",
        "label_least_expected_cost": "{model}, own costs",
        "label_your_costs": "{model}, your costs",
        # what it does
        "sentence": "{use}: gets {wrong} of 100 rows wrong, {misses}; "
        "costs {cost} per 100 rows{comparison}.",
        "misses_none": "misses none",
        "misses": "misses {list}",
        "misses_at_worst": "misses at worst {list}",
        "miss": "{rate} of 100 {class}",
        "list": "{others} and {last}",
        "comparison": " (most likely classes alone: {cost})",
        # notes beside numbers
        "cost_note": "± {error}",
        "cost_note_one_equal": "± {error}; 1 other costs as little",
        "cost_note_equals": "± {error}; {equals} others cost as little",
        "best_model": "best of them: {model}",
        # messages at the controls
        "write_with_point": "Write {number}, with a point.",
        "bad_share": "A share is a number from 0 to 100 %.",
        "bad_cost": "A cost is a number from 0 on.",
        "cost_too_large": "That is too large: take a larger unit.",
        "error_too_cheap": "An error cannot cost less than the right prediction.",
        "no_error_costs": "At least one error must cost something.",
    }.items()
}

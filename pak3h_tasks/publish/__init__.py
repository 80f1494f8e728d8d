"""Files for others' pages: model cards, `.eval_results` and Every Eval Ever, from what a report says."""

"""Everything that knows lm-eval: dataset functions, process_results, filters, sample logs."""

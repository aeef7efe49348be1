"""What Python users see: the public names with their parameters, and a few calls."""

import inspect
import json

import priscian
from priscian import analyse

for name in priscian.__all__:
    value = getattr(priscian, name)
    kind = type(value).__name__
    signature = inspect.signature(value) if callable(value) else ""
    print(name, kind, signature)
    if inspect.isclass(value):
        print("   ", *(m for m in dir(value) if not m.startswith("_")))
for name, function in inspect.getmembers(analyse, inspect.isfunction):
    print("analyse." + name, inspect.signature(function))

model = priscian.load_model("builtin:ngram")
print(model.surprisals("The keys to the cabinet is here."))
run = priscian.load_run("runs/blimp")
print(run.frame().columns, run.frame().height)
for result in run.results:
    print(result.model, result.data, result.summary.headline)
print(json.dumps(analyse.tables(run).as_dict()))
print(priscian.perplexity("builtin:ngram", ["The owl hoots."]))
print(priscian.score("builtin:ngram", "pairs:pairs.csv").results[0].summary)

"""scikit-learn's SVC on the CPU: fit and predict what lies in a folder, timed.

    python gpu_sklearn.py FOLDER PARAMETERS

FOLDER holds X.npy, y.npy and Z.npy; PARAMETERS is JSON. Prints JSON.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from time import perf_counter

import numpy as np
from sklearn.svm import SVC

folder, parameters = Path(sys.argv[1]), json.loads(sys.argv[2])
X, y, Z = (np.load(folder / f"{name}.npy") for name in "XyZ")
model = SVC(**parameters)
started = perf_counter()
model.fit(X, y)
fitted = perf_counter()
labels = model.predict(Z)
done = perf_counter()
np.save(folder / "labels.npy", labels)
print(json.dumps({"fit_s": fitted - started, "predict_s": done - fitted, "support": len(model.support_)}))

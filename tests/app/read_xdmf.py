"""read_xdmf.py LIST OUT, by pvpython: what ParaView's reader Xdmf3 sees at every time, as JSON in OUT."""
import json
import sys

from paraview import servermanager
from paraview.simple import Xdmf3ReaderS

reader = Xdmf3ReaderS(FileName=[sys.argv[1]])
reader.UpdatePipelineInformation()
times = reader.TimestepValues
seen = []
for time in [times] if isinstance(times, float) else list(times):
    reader.UpdatePipeline(time)
    image = servermanager.Fetch(reader)
    if image.IsA("vtkMultiBlockDataSet"):
        image = image.GetBlock(0)
    arrays = [image.GetPointData().GetArray(i) for i in range(image.GetPointData().GetNumberOfArrays())]
    seen.append({"time": time, "cells": image.GetDimensions(), "bounds": image.GetBounds(),
                 "fields": {a.GetName(): [a.GetTuple(i) for i in range(a.GetNumberOfTuples())] for a in arrays}})
with open(sys.argv[2], "w") as out:
    json.dump(seen, out)

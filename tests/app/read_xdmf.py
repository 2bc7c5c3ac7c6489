"""read_xdmf.py OUT LIST..., by pvpython: what ParaView's readers of XDMF see at every time, as JSON in OUT:
{list: {reader: [time, ...]}}."""
import json
import sys

from paraview import servermanager
from paraview.simple import XDMFReader, Xdmf3ReaderS


def all_times(reader):
    reader.UpdatePipelineInformation()
    times = reader.TimestepValues
    for time in [times] if isinstance(times, float) else list(times):
        reader.UpdatePipeline(time)
        image = servermanager.Fetch(reader)
        if image.IsA("vtkMultiBlockDataSet"):
            image = image.GetBlock(0)
        arrays = [image.GetPointData().GetArray(i) for i in range(image.GetPointData().GetNumberOfArrays())]
        yield {"time": time, "cells": image.GetDimensions(), "bounds": image.GetBounds(),
               "fields": {a.GetName(): [a.GetTuple(i) for i in range(a.GetNumberOfTuples())] for a in arrays}}


seen = {path: {"Xdmf3": list(all_times(Xdmf3ReaderS(FileName=[path]))), "Xdmf": list(all_times(XDMFReader(FileNames=[path])))}
        for path in sys.argv[2:]}
with open(sys.argv[1], "w") as out:
    json.dump(seen, out)

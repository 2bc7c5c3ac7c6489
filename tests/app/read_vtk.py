"""read_vtk.py FRAME X Y Z: what vtkHDFReader sees, as JSON. Status 77: this Python has no such reader."""
import json
import sys

try:
    from vtkmodules.vtkCommonCore import vtkVersion
    from vtkmodules.vtkIOHDF import vtkHDFReader
except ImportError as missing:
    print(missing)
    sys.exit(77)

reader = vtkHDFReader()
if not reader.CanReadFile(sys.argv[1]):
    sys.exit("vtkHDFReader cannot read " + sys.argv[1])
reader.SetFileName(sys.argv[1])
reader.Update()
image = reader.GetOutputDataObject(0)
point = image.FindPoint([float(v) for v in sys.argv[2:5]])
arrays = [image.GetPointData().GetArray(i) for i in range(image.GetPointData().GetNumberOfArrays())]
json.dump({"version": vtkVersion.GetVTKVersion(), "cells": image.GetDimensions(), "origin": image.GetOrigin(),
           "spacing": image.GetSpacing(),
           "at": {a.GetName(): a.GetTuple(point)[0] for a in arrays},
           "fields": {a.GetName(): [a.GetTuple(i) for i in range(a.GetNumberOfTuples())] for a in arrays}}, sys.stdout)

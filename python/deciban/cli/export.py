"""deciban export: a model as an ONNX file, for the runtimes of other languages and devices."""

from __future__ import annotations

import click

from ..errors import UsageError, escape
from . import options
from .destination import check_onnx
from .output import Remarks, print_json


@click.command("export", short_help="Write a model as an ONNX file.")
@options.filter_file
@click.option("-o", "--output", required=True, metavar="FILE", help="File to write, such as model.onnx.")
@click.option(
    "--dtype",
    type=click.Choice(("float32", "float64")),
    default="float32",
    help="Type of the inputs, scores and probabilities. Default: float32.",
)
@options.as_json
@options.quiet
def command(filter_file: str, output: str, dtype: str, as_json: bool, quiet: bool) -> None:
    """Write a model as a graph of ONNX's standard operators.

    Its input X is what the model was trained on, as numbers: columns of a table, with labels as codes, or the counts of
    the words of a text. Its outputs are the label, the probabilities and the scores. The metadata of the file name
    classes, columns or words, and the labels behind codes.
    """
    check_onnx(output, [filter_file])
    from ..artifact.loading import restore
    from ..mail.taught import read_solved

    model = restore(read_solved(filter_file, tables=True))
    try:
        from ..export.onnx_file import to_onnx

        made = to_onnx(model, output, dtype=dtype)
    except ImportError:
        raise UsageError("Expected the package onnx; it is not installed. Run: pip install 'deciban[onnx]'.") from None
    inputs = int(made.graph.input[0].type.tensor_type.shape.dim[1].dim_value)
    if as_json:
        names = [each.name for each in made.graph.output]
        print_json({"model": filter_file, "onnx": output, "inputs": inputs, "outputs": names, "dtype": dtype})
    else:
        Remarks(quiet)(f"Wrote {escape(output)}: {inputs:,} inputs, {len(made.graph.node):,} operators.")

"""An SVG document in, a PNG picture out, with the fonts that come with matplotlib; needs the extra ``plot``."""

from pathlib import Path

from eigenparse.errors import OptionError


def png(svg: str, *, scale: float = 2.0) -> bytes:
    """The picture at ``scale`` pixels per unit, the same on every machine."""
    try:
        import matplotlib
        import resvg_py
    except ImportError:
        raise OptionError("PNG needs more packages; run pip install 'eigenparse[plot]'") from None
    fonts = sorted((Path(matplotlib.get_data_path()) / "fonts" / "ttf").glob("DejaVu*.ttf"))
    return bytes(
        resvg_py.svg_to_bytes(
            svg_string=svg,
            zoom=scale,
            skip_system_fonts=True,
            font_files=[str(path) for path in fonts],
            font_family="DejaVu Sans",
            sans_serif_family="DejaVu Sans",
            serif_family="DejaVu Serif",
        )
    )

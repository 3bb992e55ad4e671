"""python -m deciban"""

from .cli import main

main()

"""Prints the requirements of an installed distribution, one a line, without torch and the media libraries beside it."""

import importlib.metadata
import re
import sys

LEFT_OUT = {"torch", "torchvision", "torchaudio", "torchcodec"}


def main() -> None:
    for line in importlib.metadata.requires(sys.argv[1]) or []:
        requirement, _, marker = line.partition(";")
        name = re.match(r"[A-Za-z0-9._-]+", requirement)
        if name and name[0].lower() not in LEFT_OUT and "extra ==" not in marker:
            print(line)


if __name__ == "__main__":
    main()

"""`python -m noisyor` is the command `noisyor`."""

from noisyor_command import main

if __name__ == "__main__":
    main()

"""What everything stands on: arrays at the door, names, files, work spread out, random numbers."""

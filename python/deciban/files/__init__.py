"""Files: opened where they are regular, replaced in one step, and held alone while they are updated."""

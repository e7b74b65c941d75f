-- A checkpoint rewrites the last row group: doing it after every batch would write everything ten times.
SET checkpoint_threshold = '128MB';
SET memory_limit = '288MB';

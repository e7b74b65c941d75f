-- summary: Lanes of the fit view: which categories of instructions stand together. `sched` is a hint and no work: it is in no lane and in no total. Other categories count in the total only.
-- grain: lane, category
-- columns: ordinal   order of the lanes
--          lane      what the view calls it
--          category  a category of it; a lane has one line for each
SELECT place // 10 AS ordinal, lane, category
FROM (
  VALUES
    (10, 'matrix/wmma', 'matrix'),
    (20, 'valu', 'valu'),
    (21, 'valu', 'dot'),
    (30, 'vmem', 'vmem'),
    (40, 'lds', 'lds'),
    (50, 'salu/control', 'salu'),
    (51, 'salu/control', 'branch'),
    (52, 'salu/control', 'wait'),
    (53, 'salu/control', 'smem')
) AS lane (place, lane, category)

-- summary: Which kind of work an opcode is: the pattern of smallest priority that is found in it.
-- grain: priority
-- columns: priority  order in which patterns are tried
--          pattern   regular expression, searched in the opcode
--          category  matrix, dot, vmem, lds, smem, branch, wait, sched, export, salu, valu or other
--          meaning   what the category holds
SELECT priority, pattern, category, meaning
FROM read_csv(
    getvariable('reference_dir') || '/isa_categories.csv',
    header = true,
    columns = {
        'priority': 'INTEGER', 'pattern': 'VARCHAR', 'category': 'VARCHAR', 'meaning': 'VARCHAR'
    }
)

SET VARIABLE slice_end = $1::BIGINT

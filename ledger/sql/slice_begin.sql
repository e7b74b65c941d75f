SET VARIABLE slice_begin = $1::BIGINT

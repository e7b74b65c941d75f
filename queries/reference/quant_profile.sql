-- summary: What a quantisation format trades: bytes saved against work to unpack, and the question to ask of it. The first prefix that starts the lower-case name applies; the empty prefix fits everything else.
-- grain: ordinal
-- columns: ordinal      order of trial
--          prefix       start of the quant name, lower case
--          bytes_saved  low, low/medium, medium, high or unknown
--          unpack_tax   low, low/medium, medium/high, high or unknown
--          taxed        whether the unpack tax is above low; NULL when unknown
--          question     what to ask next
SELECT
  ordinal,
  prefix,
  bytes_saved,
  unpack_tax,
  CASE WHEN unpack_tax <> 'unknown' THEN unpack_tax <> 'low' END AS taxed,
  question
FROM (
  VALUES
    (1, 'mq4', 'medium', 'low', 'the unpack is cheap: is memory bandwidth what is left?'),
    (2, 'hfq4', 'medium', 'low', 'the unpack is cheap: is memory bandwidth what is left?'),
    (3, 'hfp4', 'medium', 'low/medium', 'does the table lookup and block exponent cost more than it saves?'),
    (4, 'mfp4', 'medium', 'low/medium', 'does the table lookup and block exponent cost more than it saves?'),
    (5, 'mq3', 'high', 'medium/high', 'is the saved bandwidth worth its unpacking and registers?'),
    (6, 'hfq3', 'high', 'medium/high', 'is the saved bandwidth worth its unpacking and registers?'),
    (7, 'mq6', 'low/medium', 'low/medium', 'does the smaller saving pay for the odd-width unpack?'),
    (8, 'hfq6', 'low/medium', 'low/medium', 'does the smaller saving pay for the odd-width unpack?'),
    (9, 'q8', 'low', 'low', 'which is larger: KV/cache traffic or launch overhead?'),
    (10, 'paro4', 'medium', 'high', 'is the pair rotation done once, or again for each output pack?'),
    (11, '', 'unknown', 'unknown', 'needs ISA and profile rows first')
) AS profile (ordinal, prefix, bytes_saved, unpack_tax, question)

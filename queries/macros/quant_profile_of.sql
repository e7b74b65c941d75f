-- summary: What a quantisation trades, by the first prefix of quant_profile that starts its name; the unknown profile when none does.
-- columns: bytes_saved  low, low/medium, medium, high or unknown
--          unpack_tax   low, low/medium, medium/high, high or unknown
--          taxed        whether the unpack tax is above low; NULL when unknown
--          question     what to ask next
-- param: quant VARCHAR  quant name of a row
-- example: SELECT quant_profile_of('mq4g256').unpack_tax
SELECT arg_min(
    {
      'bytes_saved': q.bytes_saved,
      'unpack_tax': q.unpack_tax,
      'taxed': q.taxed,
      'question': q.question
    },
    q.ordinal
  )
FROM (SELECT lower(coalesce(quant, '')) AS wanted)
JOIN quant_profile AS q ON starts_with(wanted, q.prefix)

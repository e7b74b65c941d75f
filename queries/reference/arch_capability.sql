-- summary: What an architecture is known to offer. An arch that is not listed has no capability claimed for it: join from the left and keep the NULLs.
-- grain: arch
-- columns: arch              architecture as programs print it
--          family            RDNA1 to RDNA4, GCN5 or CDNA
--          has_matrix_unit   whether matrix instructions exist
--          matrix_kind       wmma, mfma, or NULL without a matrix unit
--          wavefronts        wavefront sizes, the usual one first
--          wavefront         the same as text, as the fit view shows it
--          note              the sentence to show beside a fit reading
SELECT
  arch,
  family,
  has_matrix_unit,
  matrix_kind,
  wavefronts,
  array_to_string(wavefronts, '/') AS wavefront,
  note
FROM (
  VALUES
    ('gfx1010', 'RDNA1', FALSE, NULL, [32, 64], 'RDNA1, no WMMA: VALU, memory and launches decide'),
    ('gfx1030', 'RDNA2', FALSE, NULL, [32], 'RDNA2, no WMMA: packed-integer and VALU fit matter'),
    ('gfx1100', 'RDNA3', TRUE, 'wmma', [32], 'RDNA3, wave32 WMMA; it pays in prefill'),
    ('gfx1101', 'RDNA3', TRUE, 'wmma', [32], 'RDNA3, wave32 WMMA; it pays in prefill'),
    ('gfx1102', 'RDNA3', TRUE, 'wmma', [32], 'RDNA3, wave32 WMMA; it pays in prefill'),
    ('gfx1151', 'RDNA3.5', TRUE, 'wmma', [32], 'RDNA3.5, WMMA; decode is mostly limited by bandwidth and launches'),
    ('gfx1200', 'RDNA4', TRUE, 'wmma', [32], 'RDNA4, WMMA; which arch-specific route is dispatched matters'),
    ('gfx1201', 'RDNA4', TRUE, 'wmma', [32], 'RDNA4, WMMA; which arch-specific route is dispatched matters'),
    ('gfx906', 'GCN5', FALSE, NULL, [64], 'GCN5, no matrix unit; dot4/dot8 instructions exist'),
    ('gfx908', 'CDNA', TRUE, 'mfma', [64], 'CDNA, MFMA'),
    ('gfx90a', 'CDNA', TRUE, 'mfma', [64], 'CDNA, MFMA'),
    ('gfx942', 'CDNA', TRUE, 'mfma', [64], 'CDNA, MFMA'),
    ('gfx950', 'CDNA', TRUE, 'mfma', [64], 'CDNA, MFMA')
) AS capability (arch, family, has_matrix_unit, matrix_kind, wavefronts, note)

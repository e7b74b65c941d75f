-- summary: Whether a device image is for an architecture: the same, a generic target of its family, or one of the two is not known.
-- columns: fits  TRUE or FALSE
-- param: image_arch VARCHAR  processor of the image, such as gfx1100 or gfx10-3-generic
-- param: row_arch VARCHAR  architecture of the row
-- example: SELECT is_for_arch('gfx11-generic', 'gfx1100')
SELECT image_arch IS NULL
  OR row_arch IS NULL
  OR image_arch = row_arch
  OR (
    ends_with(image_arch, '-generic')
    AND starts_with(row_arch, replace(replace(image_arch, '-generic', ''), '-', ''))
  )

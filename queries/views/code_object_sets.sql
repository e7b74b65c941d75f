-- summary: Code-object folders whose content is known.
-- grain: digest
-- columns: digest   digest of the folder
--          entries  one text a file: relative path, a blank, md5
SELECT digest, any_value(entries) AS entries FROM code_object_folder GROUP BY digest

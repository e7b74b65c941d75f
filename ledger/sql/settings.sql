SET enable_progress_bar = false;
SET autoinstall_known_extensions = false;
SET autoload_known_extensions = false;

//! Files laid out for a person under their own names, in a folder beside the attachments: to be dragged to a tracker by
//! hand. They are copies, and go when nobody needs them any more.

use std::fs::{DirBuilder, OpenOptions};
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::PathBuf;

use super::files::{Files, disk};
use super::name::clean_name;
use crate::problem::Result;

impl Files {
    /// Copies files, each with the name it is to have, into a folder called `name`, anew. Returns where that is.
    ///
    /// # Errors
    /// `NotFound` when one of them is not there any more, or what the disk says.
    pub fn lay_out(&self, name: &str, files: &[(&str, &str)]) -> Result<PathBuf> {
        self.take_away(name)?;
        let dir = self.laid(name);
        DirBuilder::new().recursive(true).mode(0o700).create(&dir).map_err(disk)?;
        for (file, name) in files {
            let mut source = self.open_file(file)?;
            let path = dir.join(clean_name(name));
            let mut target =
                OpenOptions::new().write(true).create_new(true).mode(0o600).open(path).map_err(disk)?;
            std::io::copy(&mut source, &mut target).map_err(disk)?;
        }
        Ok(dir)
    }

    /// What such folders there are.
    ///
    /// # Errors
    /// What the disk says.
    pub fn laid_out(&self) -> Result<Vec<String>> {
        let found = match std::fs::read_dir(self.laid("")) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            found => found.map_err(disk)?,
        };
        Ok(found.filter_map(|found| found.ok()?.file_name().into_string().ok()).collect())
    }

    /// Takes such a folder away; it need not be there.
    ///
    /// # Errors
    /// What the disk says.
    pub fn take_away(&self, name: &str) -> Result<()> {
        match std::fs::remove_dir_all(self.laid(name)) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(disk(error)),
            _ => Ok(()),
        }
    }

    fn laid(&self, name: &str) -> PathBuf {
        self.dir().with_file_name("missing").join(name)
    }
}

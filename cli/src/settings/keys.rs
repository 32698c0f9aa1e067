//! Names of all settings of a type, from the field names that its `Deserialize` asks for.

use serde::de::{
    DeserializeOwned, Deserializer, Error as _, IntoDeserializer, Visitor,
    value::{Error, MapDeserializer},
};
use serde::forward_to_deserialize_any;
use std::cell::Cell;

/// Dotted names of all settings and sections of `T`, sections before their content. Items of lists
/// have none.
pub(super) fn setting_keys<T: DeserializeOwned>() -> Vec<String> {
    let mut keys = Vec::new();
    collect_keys::<T>(&[], &mut keys);
    keys
}

fn collect_keys<T: DeserializeOwned>(section: &[&'static str], keys: &mut Vec<String>) {
    for &field in fields_of_section::<T>(section) {
        let path = [section, &[field]].concat();
        keys.push(path.join("."));
        collect_keys::<T>(&path, keys);
    }
}

fn fields_of_section<T: DeserializeOwned>(section: &[&'static str]) -> &'static [&'static str] {
    let fields = Cell::new(&[][..]);
    // Always an error, because the tracer has no values.
    let _ = T::deserialize(FieldTracer {
        section,
        fields: &fields,
    });
    fields.get()
}

/// Deserializer without values that descends to a section and notes its field names.
#[derive(Clone, Copy)]
struct FieldTracer<'a> {
    section: &'a [&'static str],
    fields: &'a Cell<&'static [&'static str]>,
}

impl<'de> Deserializer<'de> for FieldTracer<'_> {
    type Error = Error;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let Some((&field, section)) = self.section.split_first() else {
            self.fields.set(fields);
            return Err(Error::custom("no values"));
        };
        let inner = Self { section, ..self };
        visitor.visit_map(MapDeserializer::new([(field, inner)].into_iter()))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }

    fn deserialize_any<V: Visitor<'de>>(self, _visitor: V) -> Result<V::Value, Error> {
        Err(Error::custom("no values"))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

impl IntoDeserializer<'_, Error> for FieldTracer<'_> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::improve::config::ImproveConfig;
    use trainer::config::TrainConfig;

    #[test]
    fn every_documented_setting_of_a_training_is_found() {
        let mut section = String::new();
        let mut documented = Vec::new();
        for line in TrainConfig::default_toml().lines() {
            if let Some(name) = line.strip_prefix('[') {
                section = name.trim_end_matches(']').to_owned();
                documented.push(section.clone());
                section.push('.');
            } else if let Some((key, _)) = line.trim_start_matches("# ").split_once(" = ")
                && !key.contains(' ')
            {
                documented.push(format!("{section}{key}"));
            }
        }
        let mut keys = setting_keys::<TrainConfig>();
        keys.sort();
        documented.sort();
        assert_eq!(keys, documented);
        assert!(keys.contains(&"target.final_search_share".to_owned()));
    }

    #[test]
    fn optional_sections_and_lists_have_names() {
        let keys = setting_keys::<ImproveConfig>();
        for key in [
            "seed",
            "relabel.by",
            "selfplay.players",
            "selfplay.options.endgames.stones",
            "train.network.learning_rate",
        ] {
            assert!(keys.iter().any(|found| found == key), "{key}");
        }
        assert!(
            !keys
                .iter()
                .any(|found| found.starts_with("selfplay.players."))
        );
    }
}

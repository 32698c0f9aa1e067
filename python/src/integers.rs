//! Converts integers of Python and numpy, and arrays without dimensions. Fractions and truth values
//! are refused, even where Python converts them.

use crate::value_error;
use engine::core::text::shorten;
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::{
    exceptions::PyOverflowError,
    prelude::*,
    types::{PyBool, PyInt, PyTuple},
};

pub(crate) struct Integer<T>(pub(crate) T);

impl<'py, T: TryFrom<i128>> FromPyObject<'_, 'py> for Integer<T> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let number = extract_integer(&object).and_then(|number| T::try_from(number).ok());
        number.map(Self).ok_or_else(|| {
            let (missing_property, text) = (requirement_text(&object), describe(&object));
            value_error(format!(
                "a whole number{missing_property} is needed, not {text}"
            ))
        })
    }
}

/// An integer of at most 64 bits; `None` for other objects.
fn extract_integer(object: &Bound<'_, PyAny>) -> Option<i128> {
    if !object.is_exact_instance_of::<PyInt>() && is_bool(object) {
        return None;
    }
    match object.extract::<i64>() {
        Ok(number) => Some(number.into()),
        Err(problem) if problem.is_instance_of::<PyOverflowError>(object.py()) => {
            object.extract::<u64>().ok().map(i128::from)
        }
        Err(_) => None,
    }
}

/// Checks by type, since old versions of numpy convert truth values to integers.
fn is_bool(object: &Bound<'_, PyAny>) -> bool {
    let is_numpys = || {
        let name = object.get_type().name();
        name.is_ok_and(|name| name == "bool" || name == "bool_")
    };
    object.is_instance_of::<PyBool>() || is_numpys()
}

fn requirement_text(object: &Bound<'_, PyAny>) -> &'static str {
    match extract_integer(object) {
        Some(..0) => " of at least 0",
        Some(_) => " that is smaller",
        None => "",
    }
}

fn describe(object: &Bound<'_, PyAny>) -> String {
    let text = object.repr().map(|text| text.to_string());
    match text.ok().filter(|text| !text.contains('\n')) {
        Some(text) => shorten(&text, 60),
        None => (object.get_type().name())
            .map_or_else(|_| "that".to_owned(), |name| format!("a {name}")),
    }
}

/// An integer of at least 0; `what` is its name in the error.
#[pyfunction]
pub(crate) fn integer(number: &Bound<'_, PyAny>, what: &str) -> PyResult<u64> {
    let index = extract_integer(number).and_then(|number| u64::try_from(number).ok());
    index.ok_or_else(|| {
        let (missing_property, text) = (requirement_text(number), describe(number));
        value_error(format!(
            "{what} is a whole number{missing_property}, not {text}"
        ))
    })
}

/// An array (n,) of integers of any type, or a sequence of them, as int64; `what` is their name in the
/// error. A number without dimensions is an array of one.
#[pyfunction]
pub(crate) fn integers<'py>(
    numbers: &Bound<'py, PyAny>,
    what: &str,
) -> PyResult<Bound<'py, PyArray1<i64>>> {
    Ok(PyArray1::from_vec(
        numbers.py(),
        extract_all(numbers, what)?,
    ))
}

pub(crate) fn extract_all(numbers: &Bound<'_, PyAny>, what: &str) -> PyResult<Vec<i64>> {
    if let Ok(array) = numbers.extract::<PyReadonlyArray1<'_, i64>>() {
        return Ok(array.as_array().iter().copied().collect());
    }
    let error = |found: &dyn std::fmt::Display| {
        value_error(format!("{what} is a whole number, not {found}"))
    };
    let numpy = numbers.py().import("numpy")?;
    let is_array = numbers.is_instance(&numpy.getattr("ndarray")?)?;
    if !is_array && let Ok(items) = numbers.try_iter() {
        // numpy would convert truth values to numbers.
        if let Some(truth) = items.flatten().find(is_bool) {
            return Err(error(&truth));
        }
    }
    let array = numpy.call_method1("asarray", (numbers,));
    let array = array.map_err(|_| error(&"what makes no array"))?;
    let shape = array.getattr("shape")?.cast_into::<PyTuple>()?;
    if shape.len() > 1 {
        return Err(value_error(format!(
            "whole numbers are an array (n,), not one of the shape {shape}"
        )));
    }
    if shape.len() == 1 && array.len()? == 0 {
        return Ok(Vec::new());
    }
    let kind = array.getattr("dtype")?;
    let dtype = match kind.getattr("kind")?.extract::<char>()? {
        'i' => "int64",
        'u' => "uint64",
        _ => return Err(error(&kind)),
    };
    let array = array.call_method1("astype", (dtype,))?;
    let array = array.call_method1("reshape", (-1,))?;
    if let Ok(signed_array) = array.extract::<PyReadonlyArray1<'_, i64>>() {
        return Ok(signed_array.as_array().iter().copied().collect());
    }
    let unsigned: PyReadonlyArray1<'_, u64> = array.extract()?;
    let to_i64 = |&number: &u64| i64::try_from(number).map_err(|_| error(&number));
    unsigned.as_array().iter().map(to_i64).collect()
}

//! Whole numbers as Python has them: its own, numpy's of every size, arrays without dimensions.
//!
//! Invariant: neither a fraction nor a truth value is one, whatever Python would make of it, and what
//! is none is refused in one line.

use crate::wrong;
use engine::core::text::shortened;
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::{
    exceptions::PyOverflowError,
    prelude::*,
    types::{PyBool, PyInt, PyTuple},
};

/// A whole number as an argument.
pub(crate) struct Whole<T>(pub(crate) T);

impl<'py, T: TryFrom<i128>> FromPyObject<'_, 'py> for Whole<T> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let number = read(&object).and_then(|number| T::try_from(number).ok());
        number.map(Self).ok_or_else(|| {
            let (bound, text) = (bound(&object), shown(&object));
            wrong(format!("a whole number{bound} is needed, not {text}"))
        })
    }
}

/// The number that an object is, if it is a whole one of at most 64 bits.
fn read(object: &Bound<'_, PyAny>) -> Option<i128> {
    if !object.is_exact_instance_of::<PyInt>() && is_truth(object) {
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

/// Old versions of numpy take their truth values for numbers too.
fn is_truth(object: &Bound<'_, PyAny>) -> bool {
    let is_numpys = || {
        let name = object.get_type().name();
        name.is_ok_and(|name| name == "bool" || name == "bool_")
    };
    object.is_instance_of::<PyBool>() || is_numpys()
}

/// What a number that is refused lacks beside being a whole one.
fn bound(object: &Bound<'_, PyAny>) -> &'static str {
    match read(object) {
        Some(..0) => " of at least 0",
        Some(_) => " that is smaller",
        None => "",
    }
}

/// An object in one short line.
fn shown(object: &Bound<'_, PyAny>) -> String {
    let text = object.repr().map(|text| text.to_string());
    match text.ok().filter(|text| !text.contains('\n')) {
        Some(text) => shortened(&text, 60),
        None => (object.get_type().name())
            .map_or_else(|_| "that".to_owned(), |name| format!("a {name}")),
    }
}

/// The index that an object is, at least 0; `what` it is stands in the error.
#[pyfunction]
pub(crate) fn whole(number: &Bound<'_, PyAny>, what: &str) -> PyResult<u64> {
    let index = read(number).and_then(|number| u64::try_from(number).ok());
    index.ok_or_else(|| {
        let (bound, text) = (bound(number), shown(number));
        wrong(format!("{what} is a whole number{bound}, not {text}"))
    })
}

/// An array (n,) of whole numbers of any type, or a sequence of them, as int64; `what` each of them is
/// stands in the error. A number without dimensions is an array of one.
#[pyfunction]
pub(crate) fn wholes<'py>(
    numbers: &Bound<'py, PyAny>,
    what: &str,
) -> PyResult<Bound<'py, PyArray1<i64>>> {
    Ok(PyArray1::from_vec(numbers.py(), all(numbers, what)?))
}

/// The same as a list.
pub(crate) fn all(numbers: &Bound<'_, PyAny>, what: &str) -> PyResult<Vec<i64>> {
    if let Ok(read) = numbers.extract::<PyReadonlyArray1<'_, i64>>() {
        return Ok(read.as_array().iter().copied().collect());
    }
    let not =
        |found: &dyn std::fmt::Display| wrong(format!("{what} is a whole number, not {found}"));
    let numpy = numbers.py().import("numpy")?;
    let is_array = numbers.is_instance(&numpy.getattr("ndarray")?)?;
    if !is_array && let Ok(items) = numbers.try_iter() {
        // Beside numbers numpy takes truth values for numbers.
        if let Some(truth) = items.flatten().find(is_truth) {
            return Err(not(&truth));
        }
    }
    let array = numpy.call_method1("asarray", (numbers,));
    let array = array.map_err(|_| not(&"what makes no array"))?;
    let shape = array.getattr("shape")?.cast_into::<PyTuple>()?;
    if shape.len() > 1 {
        return Err(wrong(format!(
            "whole numbers are an array (n,), not one of the shape {shape}"
        )));
    }
    if shape.len() == 1 && array.len()? == 0 {
        return Ok(Vec::new());
    }
    let kind = array.getattr("dtype")?;
    let signed = match kind.getattr("kind")?.extract::<char>()? {
        'i' => "int64",
        'u' => "uint64",
        _ => return Err(not(&kind)),
    };
    let array = array.call_method1("astype", (signed,))?;
    let array = array.call_method1("reshape", (-1,))?;
    if let Ok(read) = array.extract::<PyReadonlyArray1<'_, i64>>() {
        return Ok(read.as_array().iter().copied().collect());
    }
    let read: PyReadonlyArray1<'_, u64> = array.extract()?;
    let short = |&number: &u64| i64::try_from(number).map_err(|_| not(&number));
    read.as_array().iter().map(short).collect()
}

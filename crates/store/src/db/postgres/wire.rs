//! Values in PostgreSQL's binary format. The server says which type a parameter has; the value is written as that type or
//! refused, never silently converted.

use std::error::Error as StdError;
use std::fmt;

use tokio_postgres::types::private::BytesMut;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type};
use tokio_postgres::{Column, Statement};
use uuid::Uuid;

use super::fault::Fault;
use crate::db::{Row, Value};

type AnyError = Box<dyn StdError + Sync + Send>;

/// A value to be sent, or a column of them as an array.
pub(super) enum Parameter<'a> {
    Single(&'a Value),
    Column(Vec<Parameter<'a>>),
}

pub(super) fn row_of(values: &[Value]) -> Vec<Parameter<'_>> {
    values.iter().map(Parameter::Single).collect()
}

/// Rows become columns, for `unnest`.
pub(super) fn columns_of<'a>(sql: &'static str, rows: &'a [Vec<Value>]) -> Result<Vec<Parameter<'a>>, Fault> {
    let width = rows.first().map_or(0, Vec::len);
    if rows.iter().any(|row| row.len() != width) {
        return Err(Fault::Binding { sql, detail: "its rows have different numbers of values".to_owned() });
    }
    let column = |index: usize| rows.iter().map(|row| Parameter::Single(&row[index])).collect();
    Ok((0..width).map(|index| Parameter::Column(column(index))).collect())
}

/// The driver logs parameters when its log level is `debug`. What is stored stays out of logs.
impl fmt::Debug for Parameter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Parameter::Single(value) => f.write_str(value.kind()),
            Parameter::Column(values) => write!(f, "{} values", values.len()),
        }
    }
}

impl ToSql for Parameter<'_> {
    fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull, AnyError> {
        match self {
            Parameter::Single(value) => write(value, ty, out),
            Parameter::Column(values) => values.to_sql(ty, out),
        }
    }

    /// Decided with the value at hand, in `write`.
    fn accepts(_: &Type) -> bool {
        true
    }

    fn to_sql_checked(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull, AnyError> {
        self.to_sql(ty, out)
    }
}

fn write(value: &Value, ty: &Type, out: &mut BytesMut) -> Result<IsNull, AnyError> {
    match (value, ty) {
        (Value::Null, _) => Ok(IsNull::Yes),
        (Value::Bool(truth), &Type::BOOL) => truth.to_sql(ty, out),
        (Value::Int(number), &Type::INT8) => number.to_sql(ty, out),
        (Value::Int(number), &Type::INT4) => i32::try_from(*number)?.to_sql(ty, out),
        (Value::Int(number), &Type::INT2) => i16::try_from(*number)?.to_sql(ty, out),
        (Value::Int(number), &Type::FLOAT8) => (*number as f64).to_sql(ty, out),
        (Value::Float(number), &Type::FLOAT8) => number.to_sql(ty, out),
        (Value::Text(text), &Type::TEXT | &Type::VARCHAR) => text.to_sql(ty, out),
        (Value::Blob(bytes), &Type::BYTEA) => bytes.to_sql(ty, out),
        (Value::Uuid(id), &Type::UUID) => id.to_sql(ty, out),
        (value, ty) => Err(format!("{} is given where `{ty}` is expected", value.kind()).into()),
    }
}

pub(super) const READABLE: &str = "of a type that both databases have (`cast` it)";

/// The first column of a statement's answer that is of no type we read, and that type.
pub(super) fn unreadable(statement: &Statement) -> Option<(usize, String)> {
    let types = statement.columns().iter().map(Column::type_).enumerate();
    types.filter(|(_, ty)| !Value::accepts(ty)).map(|(index, ty)| (index, format!("`{ty}`"))).next()
}

pub(super) fn row(row: &tokio_postgres::Row) -> Result<Row, tokio_postgres::Error> {
    (0..row.len()).map(|column| row.try_get(column)).collect::<Result<_, _>>().map(Row::new)
}

impl<'a> FromSql<'a> for Value {
    fn from_sql(ty: &Type, raw: &'a [u8]) -> Result<Value, AnyError> {
        Ok(match *ty {
            Type::BOOL => Value::Bool(bool::from_sql(ty, raw)?),
            Type::INT8 => Value::Int(i64::from_sql(ty, raw)?),
            Type::INT4 => Value::Int(i32::from_sql(ty, raw)?.into()),
            Type::INT2 => Value::Int(i16::from_sql(ty, raw)?.into()),
            Type::FLOAT8 => Value::Float(f64::from_sql(ty, raw)?),
            Type::BYTEA => Value::Blob(raw.to_owned()),
            Type::UUID => Value::Uuid(Uuid::from_sql(ty, raw)?),
            // The text types are all that `accepts` leaves.
            _ => Value::Text(String::from_sql(ty, raw)?),
        })
    }

    fn from_sql_null(_: &Type) -> Result<Value, AnyError> {
        Ok(Value::Null)
    }

    tokio_postgres::types::accepts!(BOOL, INT8, INT4, INT2, FLOAT8, TEXT, VARCHAR, NAME, BYTEA, UUID);
}

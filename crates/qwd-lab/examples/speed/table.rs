//! Reports as text: objects as lines, lists of objects as tables.

use serde_json::Value;

pub(crate) fn text(report: &Value) -> String {
    let mut out = String::new();
    write(report, "", &mut out);
    out
}

fn write(value: &Value, name: &str, out: &mut String) {
    match value {
        Value::Object(fields) => {
            for (field, value) in fields {
                let name = if name.is_empty() { field.clone() } else { format!("{name}.{field}") };
                write(value, &name, out);
            }
        }
        Value::Array(rows) if rows.first().is_some_and(Value::is_object) => rows_of(rows, out),
        value => *out += &format!("{name:<48} {}\n", short(value)),
    }
}

fn rows_of(rows: &[Value], out: &mut String) {
    let fields = rows.first().and_then(Value::as_object);
    let names: Vec<&str> = fields.into_iter().flatten().map(|(name, _)| name.as_str()).collect();
    let cell = |text: &str| format!("{text:>18}");
    *out += &(names.iter().map(|name| cell(name)).collect::<String>() + "\n");
    for row in rows {
        *out += &(names.iter().map(|name| cell(&short(&row[*name]))).collect::<String>() + "\n");
    }
}

/// Numbers with four digits that count.
fn short(value: &Value) -> String {
    match value {
        Value::Number(n) if n.is_f64() => {
            let x = n.as_f64().unwrap_or(0.0);
            if x != 0.0 && (x.abs() < 1e-3 || x.abs() >= 1e6) { format!("{x:.3e}") } else { format!("{x:.4}") }
        }
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}

//! Just enough SGML for Reuters-21578: elements by name, attributes, entities. Nothing is an error; what is not found is
//! absent.

/// An element: its attributes as they stand, and what lies between its tags.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Element<'a> {
    attributes: &'a str,
    pub(super) content: &'a str,
}

impl<'a> Element<'a> {
    /// Returns the value of an attribute.
    pub(super) fn attribute(&self, name: &str) -> Option<&'a str> {
        let mut rest = self.attributes;
        while let Some((before, after)) = rest.split_once("=\"") {
            let (value, next) = after.split_once('"')?;
            if before.trim() == name {
                return Some(value);
            }
            rest = next;
        }
        None
    }
}

/// Returns all elements of a name, in order; one that is not closed ends the search.
pub(super) fn elements<'a>(text: &'a str, name: &str) -> impl Iterator<Item = Element<'a>> {
    let (open, close) = (format!("<{name}"), format!("</{name}>"));
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            let start = rest.find(&open)? + open.len();
            let (attributes, inside) = rest[start..].split_once('>')?;
            if !(attributes.is_empty() || attributes.starts_with(|c: char| c.is_ascii_whitespace())) {
                // A longer name that begins alike.
                rest = &rest[start..];
                continue;
            }
            let (content, next) = inside.split_once(&close)?;
            rest = next;
            return Some(Element { attributes, content });
        }
    })
}

/// Returns the first element of a name.
pub(super) fn element<'a>(text: &'a str, name: &str) -> Option<Element<'a>> {
    elements(text, name).next()
}

/// Returns the text without tags, its entities decoded; control characters, but for line ends and tabs, are dropped.
pub(super) fn plain(content: &str) -> String {
    let mut out = String::with_capacity(content.len());
    let mut rest = content;
    while let Some(at) = rest.find(['<', '&']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        rest = match tag(rest).or_else(|| entity(rest, &mut out)) {
            Some(behind) => behind,
            None => {
                out.push_str(&rest[..1]);
                &rest[1..]
            }
        };
    }
    out.push_str(rest);
    out.retain(|c| !c.is_control() || c == '\n' || c == '\t');
    out
}

/// What lies behind a tag. `<` followed by anything else than a letter or `/` is a mere sign.
fn tag(text: &str) -> Option<&str> {
    let inside = text.strip_prefix('<')?;
    inside
        .starts_with(|c: char| c.is_ascii_alphabetic() || c == '/')
        .then(|| inside.split_once('>'))?
        .map(|(_, behind)| behind)
}

/// What lies behind an entity, which goes into `out` as the character it stands for.
fn entity<'a>(text: &'a str, out: &mut String) -> Option<&'a str> {
    let (name, behind) = text.strip_prefix('&')?.split_once(';')?;
    out.push(match name {
        "lt" => '<',
        "gt" => '>',
        "amp" => '&',
        "quot" => '"',
        "apos" => '\'',
        _ => char::from_u32(name.strip_prefix('#')?.parse().ok()?)?,
    });
    Some(behind)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn elements_are_told_by_their_whole_name() {
        let text = r#"<TOPICS2>x</TOPICS2><TOPICS A="1" B="two">y</TOPICS><TOPICS>z</TOPICS><TOPICS>open"#;
        let found: Vec<_> = elements(text, "TOPICS").collect();
        assert_eq!(found.iter().map(|e| e.content).collect::<Vec<_>>(), ["y", "z"]);
        assert_eq!((found[0].attribute("B"), found[0].attribute("C")), (Some("two"), None));
    }

    #[test]
    fn text_is_decoded_once() {
        assert_eq!(plain("a &lt;b> &amp;lt; <B>c</B> &#65;&#3; &nope; 1 < 2 & 3<"), "a <b> &lt; c A &nope; 1 < 2 & 3<");
    }

    proptest! {
        #[test]
        fn no_text_causes_a_panic(text in "(<|>|&|;|#|/|\"|=|D|TEXT| |65|amp|é|\\PC){0,40}") {
            let _ = plain(&text);
            for element in elements(&text, "D") {
                let _ = element.attribute("TEXT");
            }
        }
    }
}

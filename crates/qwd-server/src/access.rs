//! Who may do what: bearer tokens, compared in constant time, and the checks that keep other web sites out.

use crate::config::Tokens;
use crate::problem::Problem;
use axum::http::{HeaderMap, StatusCode, header};
use subtle::{Choice, ConstantTimeEq};

/// What a route asks of a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Access {
    /// Nothing.
    Open,
    /// A token for reading.
    Read,
    /// A token for writing.
    Write,
    /// A token for everything.
    Admin,
}

impl Access {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Read => "read",
            Self::Write => "write",
            Self::Admin => "admin",
        }
    }
}

/// Checks what a request shows against what its route asks for.
pub(crate) fn check(headers: &HeaderMap, needed: Access, tokens: &Tokens) -> Result<(), Problem> {
    same_site(headers)?;
    let levels = [(Access::Read, &tokens.read), (Access::Write, &tokens.write), (Access::Admin, &tokens.admin)];
    if levels.iter().all(|(_, token)| token.is_none()) {
        return from_loopback(headers);
    }
    if needed == Access::Open {
        return Ok(());
    }
    let shown = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let shown = shown.strip_prefix("Bearer ").unwrap_or_default().as_bytes();
    // Every token is compared, whatever the outcome of the others.
    let mut granted = Access::Open;
    for (level, token) in levels {
        let is_equal = token.as_ref().map_or(Choice::from(0), |token| token.as_bytes().ct_eq(shown));
        granted = if bool::from(is_equal) { granted.max(level) } else { granted };
    }
    match granted {
        Access::Open => Err(Problem::new(StatusCode::UNAUTHORIZED, "no_token", "send Authorization: Bearer TOKEN")),
        granted if granted < needed => {
            let message = format!("this token may not do that; it takes one for {}", needed.name());
            Err(Problem::new(StatusCode::FORBIDDEN, "forbidden", message))
        }
        _ => Ok(()),
    }
}

/// A browser names the site that a request comes from: only our own page may send one.
fn same_site(headers: &HeaderMap) -> Result<(), Problem> {
    let Some(origin) = headers.get(header::ORIGIN) else { return Ok(()) };
    let origin = origin.to_str().unwrap_or_default();
    let origin = origin.strip_prefix("http://").or(origin.strip_prefix("https://")).unwrap_or_default();
    let host = headers.get(header::HOST).and_then(|value| value.to_str().ok());
    match host {
        Some(host) if host == origin => Ok(()),
        _ => Err(Problem::new(StatusCode::FORBIDDEN, "other_site", "requests from other web sites are refused")),
    }
}

/// Without tokens a request must be meant for this machine: a foreign name that was made to point here is refused.
fn from_loopback(headers: &HeaderMap) -> Result<(), Problem> {
    let host = headers.get(header::HOST).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    let is_own = name == "localhost" || name.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback());
    match is_own {
        true => Ok(()),
        false => Err(Problem::new(StatusCode::FORBIDDEN, "other_host", "without tokens only localhost is answered")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(header::HeaderName, &str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.clone(), value.parse().expect("a header"))).collect()
    }

    #[test]
    fn levels_hold_what_lies_below_them() {
        let token = |c: &str| Some(c.repeat(16));
        let tokens = Tokens { read: token("r"), write: token("w"), admin: token("a") };
        let status = |shown: &str, needed| {
            let headers = headers(&[(header::AUTHORIZATION, &format!("Bearer {}", shown.repeat(16)))]);
            check(&headers, needed, &tokens).map_or_else(|p| p.status.as_u16(), |()| 200)
        };
        let row =
            |shown| [Access::Open, Access::Read, Access::Write, Access::Admin].map(|needed| status(shown, needed));
        assert_eq!(row("x"), [200, 401, 401, 401]);
        assert_eq!(row("r"), [200, 200, 403, 403]);
        assert_eq!(row("w"), [200, 200, 200, 403]);
        assert_eq!(row("a"), [200, 200, 200, 200]);
    }

    #[test]
    fn other_sites_and_foreign_names_are_refused() {
        let open = Tokens::default();
        let ask = |pairs: &[(header::HeaderName, &str)]| check(&headers(pairs), Access::Admin, &open).is_ok();
        assert!(ask(&[(header::HOST, "localhost:7700")]));
        assert!(ask(&[(header::HOST, "[::1]:7700"), (header::ORIGIN, "http://[::1]:7700")]));
        assert!(!ask(&[(header::HOST, "evil.example:7700")]));
        assert!(!ask(&[(header::HOST, "127.0.0.1:7700"), (header::ORIGIN, "http://evil.example")]));
        assert!(!ask(&[(header::HOST, "127.0.0.1:7700"), (header::ORIGIN, "null")]));
    }
}

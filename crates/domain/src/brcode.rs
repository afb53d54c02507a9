//! BR Code

//! CPF, CNPJ

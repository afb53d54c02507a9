//! The tables as both databases have them.
//!
//! Kept by hand; the contract suite writes and reads every one of them on both databases.

diesel::table! {
    accounts (id) {
        id -> Text,
        name -> Text,
        email -> Text,
        document -> Nullable<Text>,
        city -> Text,
        address -> Nullable<Text>,
        merchant_name -> Nullable<Text>,
        suspended_at -> Nullable<BigInt>,
        pix_fee_fixed -> Nullable<BigInt>,
        pix_fee_points -> Nullable<BigInt>,
        checkout_fee_fixed -> Nullable<BigInt>,
        checkout_fee_points -> Nullable<BigInt>,
        boleto_fee_fixed -> Nullable<BigInt>,
        boleto_fee_points -> Nullable<BigInt>,
        withdrawal_fee_fixed -> Nullable<BigInt>,
        withdrawal_fee_points -> Nullable<BigInt>,
        bill_provider_fee_fixed -> Nullable<BigInt>,
        bill_provider_fee_points -> Nullable<BigInt>,
        bill_service_fee_fixed -> Nullable<BigInt>,
        bill_service_fee_points -> Nullable<BigInt>,
        limit_per_transaction -> Nullable<BigInt>,
        limit_per_withdrawal -> Nullable<BigInt>,
        limit_withdrawals_per_day -> Nullable<BigInt>,
        duplicate_guard_minutes -> Nullable<BigInt>,
        clock_offset_ms -> BigInt,
        created_at -> BigInt,
    }
}

diesel::table! {
    users (id) {
        id -> Text,
        email -> Text,
        password_hash -> Text,
        created_at -> BigInt,
    }
}

diesel::table! {
    memberships (account, user_id) {
        account -> Text,
        user_id -> Text,
        role -> Text,
    }
}

diesel::table! {
    api_keys (account, environment, id) {
        account -> Text,
        environment -> Text,
        id -> Text,
        scopes -> Text,
        digest -> Binary,
        encrypted -> Nullable<Binary>,
        hint -> Text,
        expires_at -> Nullable<BigInt>,
        revoked_at -> Nullable<BigInt>,
        last_used_at -> Nullable<BigInt>,
        created_at -> BigInt,
    }
}

diesel::table! {
    installation_values (name) {
        name -> Text,
        value -> Binary,
    }
}

diesel::table! {
    epochs (id) {
        id -> BigInt,
        epoch -> BigInt,
    }
}

diesel::table! {
    readiness (id) {
        id -> BigInt,
        probes -> BigInt,
        filling -> Binary,
    }
}

diesel::table! {
    provider_records (provider, key) {
        provider -> Text,
        key -> Text,
        version -> BigInt,
        body -> Text,
    }
}

diesel::table! {
    charges (account, environment, id) {
        account -> Text,
        environment -> Text,
        id -> Text,
        kind -> Text,
        origin -> Text,
        amount -> BigInt,
        net_amount -> BigInt,
        description -> Nullable<Text>,
        customer_name -> Nullable<Text>,
        customer_email -> Nullable<Text>,
        customer_cellphone -> Nullable<Text>,
        customer_tax_id -> Nullable<Text>,
        metadata -> Nullable<Text>,
        txid -> Text,
        br_code -> Text,
        expires_at -> BigInt,
        created_at -> BigInt,
        status -> Text,
        paid_at -> Nullable<BigInt>,
        payer_name -> Nullable<Text>,
        payer_document -> Nullable<Text>,
        payer_bank -> Nullable<Text>,
        end_to_end_id -> Nullable<Text>,
        failed_at -> Nullable<BigInt>,
        failed_by -> Nullable<Text>,
        failure_reason -> Nullable<Text>,
    }
}

diesel::table! {
    boletos (account, environment, id) {
        account -> Text,
        environment -> Text,
        id -> Text,
        payer_name -> Text,
        payer_document -> Text,
        payer_cep -> Text,
        wallet -> Text,
        our_number -> Text,
        barcode -> Text,
        due_date -> Text,
        pdf_token -> Text,
    }
}

diesel::table! {
    receipts (arrival) {
        arrival -> BigInt,
        account -> Text,
        environment -> Text,
        charge -> Text,
        end_to_end_id -> Text,
        amount -> BigInt,
        paid_at -> BigInt,
        payer_name -> Nullable<Text>,
        payer_document -> Nullable<Text>,
        payer_bank -> Nullable<Text>,
        return_reason -> Nullable<Text>,
        received_at -> BigInt,
    }
}

diesel::table! {
    returns (account, environment, id) {
        account -> Text,
        environment -> Text,
        id -> Text,
        charge -> Text,
        end_to_end_id -> Text,
        amount -> BigInt,
        reason -> Text,
        state -> Text,
        ended_at -> Nullable<BigInt>,
        provider_id -> Nullable<Text>,
        tries -> BigInt,
        due_at -> BigInt,
        created_at -> BigInt,
    }
}

diesel::table! {
    idempotency_records (account, environment, route, key) {
        account -> Text,
        environment -> Text,
        route -> Text,
        key -> Text,
        body_digest -> Binary,
        object -> Text,
        created_at -> BigInt,
    }
}

diesel::table! {
    heads (account, environment) {
        account -> Text,
        environment -> Text,
        balance -> BigInt,
        available -> BigInt,
        event_sequence -> BigInt,
        ledger_sequence -> BigInt,
        ledger_hash -> Binary,
    }
}

diesel::table! {
    ledger_entries (account, environment, sequence) {
        account -> Text,
        environment -> Text,
        sequence -> BigInt,
        id -> Text,
        kind -> Text,
        reference -> Text,
        available -> BigInt,
        fees -> BigInt,
        clearing -> BigInt,
        returns -> BigInt,
        play_money -> BigInt,
        outgoing -> BigInt,
        created_at -> BigInt,
        hash -> Binary,
    }
}

diesel::table! {
    events (account, environment, sequence) {
        account -> Text,
        environment -> Text,
        sequence -> BigInt,
        id -> Text,
        kind -> Text,
        object -> Text,
        body -> Text,
        recorded_at -> BigInt,
    }
}

diesel::table! {
    endpoints (account, environment) {
        account -> Text,
        environment -> Text,
        url -> Text,
        sealed_secret -> Binary,
        previous_secret -> Nullable<Binary>,
        previous_until -> Nullable<BigInt>,
        disabled_at -> Nullable<BigInt>,
        disabled_because -> Nullable<Text>,
        failing_since -> Nullable<BigInt>,
        created_at -> BigInt,
    }
}

diesel::table! {
    deliveries (account, environment, event) {
        account -> Text,
        environment -> Text,
        event -> Text,
        state -> Text,
        attempts -> BigInt,
        tries -> BigInt,
        due_at -> BigInt,
        leased_by -> Nullable<Text>,
        leased_until -> Nullable<BigInt>,
        created_at -> BigInt,
    }
}

diesel::table! {
    attempts (account, environment, event, number) {
        account -> Text,
        environment -> Text,
        event -> Text,
        number -> BigInt,
        started_at -> BigInt,
        duration_ms -> BigInt,
        outcome -> Text,
        status -> Nullable<BigInt>,
        error -> Nullable<Text>,
        answer -> Text,
    }
}

diesel::table! {
    payouts (account, environment, id) {
        account -> Text,
        environment -> Text,
        id -> Text,
        kind -> Text,
        origin -> Text,
        amount -> BigInt,
        net_amount -> BigInt,
        fee -> BigInt,
        pix_key -> Nullable<Text>,
        pix_key_kind -> Nullable<Text>,
        beneficiary_name -> Nullable<Text>,
        description -> Nullable<Text>,
        payee_document -> Nullable<Text>,
        payee_name -> Nullable<Text>,
        quote -> Nullable<Text>,
        barcode -> Nullable<Text>,
        external_id -> Nullable<Text>,
        created_at -> BigInt,
        status -> Text,
        ended_at -> Nullable<BigInt>,
        authentication -> Nullable<Text>,
        failure_reason -> Nullable<Text>,
        phase -> Text,
        tries -> BigInt,
        due_at -> BigInt,
    }
}

diesel::table! {
    refunds (account, environment, id) {
        account -> Text,
        environment -> Text,
        id -> Text,
        charge -> Text,
        end_to_end_id -> Text,
        amount -> BigInt,
        reason -> Nullable<Text>,
        created_at -> BigInt,
        status -> Text,
        ended_at -> Nullable<BigInt>,
        authentication -> Nullable<Text>,
        failure_reason -> Nullable<Text>,
        phase -> Text,
        tries -> BigInt,
        due_at -> BigInt,
    }
}

diesel::table! {
    quotes (account, environment, id) {
        account -> Text,
        environment -> Text,
        id -> Text,
        barcode -> Text,
        bank -> Nullable<Text>,
        beneficiary -> Nullable<Text>,
        due_date -> Text,
        payable -> Bool,
        original -> BigInt,
        interest -> BigInt,
        fine -> BigInt,
        discount -> BigInt,
        rebate -> BigInt,
        total -> BigInt,
        provider_fee -> BigInt,
        service_fee -> BigInt,
        expires_at -> BigInt,
        created_at -> BigInt,
    }
}

diesel::table! {
    bill_titles (account, environment, barcode) {
        account -> Text,
        environment -> Text,
        barcode -> Text,
        payout -> Text,
    }
}

diesel::allow_tables_to_appear_in_same_query!(deliveries, endpoints, events);

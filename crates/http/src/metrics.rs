//! What is counted and measured, in the text form of Prometheus.

use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use actix_web::http::StatusCode;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::text::encode;
use prometheus_client::encoding::{DescriptorEncoder, EncodeLabelSet, EncodeMetric, MetricEncoder};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::{ConstCounter, Counter};
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::Registry;

/// Seconds: half a millisecond to ten seconds, where requests fall.
const LATENCY_BUCKETS: [f64; 13] = [
    0.000_5, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 10.0,
];

/// One value of a metric.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// What tells it from the metric's other values: names and values.
    pub labels: Vec<(&'static str, String)>,
    /// The value; of a counter it never falls.
    pub value: f64,
}

impl Sample {
    /// The only value of a metric.
    pub fn plain(value: f64) -> Self {
        Self {
            labels: Vec::new(),
            value,
        }
    }

    /// A value under one label.
    pub fn of(label: &'static str, labelled: impl Into<String>, value: f64) -> Self {
        Self {
            labels: vec![(label, labelled.into())],
            value,
        }
    }
}

/// Everything `/metrics` shows: the requests, counted here, and what other parts of the program register.
pub struct Metrics {
    registry: RwLock<Registry>,
    requests: Family<RequestLabels, Counter>,
    latency: Family<RouteLabels, Histogram, fn() -> Histogram>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    route: &'static str,
    method: &'static str,
    status: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RouteLabels {
    route: &'static str,
}

impl Metrics {
    /// Metrics of a build with this version, on this kind of database.
    pub fn new(version: &str, database: &str) -> Arc<Self> {
        let mut registry = Registry::default();
        let requests = Family::<RequestLabels, Counter>::default();
        let latency: Family<RouteLabels, Histogram, fn() -> Histogram> =
            Family::new_with_constructor(|| Histogram::new(LATENCY_BUCKETS));
        registry.register(
            "vintem_build",
            "The running build",
            Info::new(vec![
                ("version", version.to_owned()),
                ("database", database.to_owned()),
            ]),
        );
        registry.register(
            "vintem_http_requests",
            "Requests answered, by route, method and status",
            requests.clone(),
        );
        registry.register(
            "vintem_http_request_duration_seconds",
            "Time from the head of a request to the head of its answer, by route",
            latency.clone(),
        );
        Arc::new(Self {
            registry: RwLock::new(registry),
            requests,
            latency,
        })
    }

    /// Shows a value that rises and falls. `read` is called at every scrape, on a thread that may block for a moment.
    pub fn gauge(
        &self,
        name: &'static str,
        help: &'static str,
        read: impl Fn() -> Vec<Sample> + Send + Sync + 'static,
    ) {
        self.register(Observed {
            name,
            help,
            kind: Kind::Gauge,
            read: Box::new(read),
        });
    }

    /// Shows a value that only rises; Prometheus sees it as `{name}_total`. `read` is as for [`Self::gauge`].
    pub fn counter(
        &self,
        name: &'static str,
        help: &'static str,
        read: impl Fn() -> Vec<Sample> + Send + Sync + 'static,
    ) {
        self.register(Observed {
            name,
            help,
            kind: Kind::Counter,
            read: Box::new(read),
        });
    }

    fn register(&self, observed: Observed) {
        self.registry
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .register_collector(Box::new(observed));
    }

    /// Counts an answered request.
    pub(crate) fn answered(
        &self,
        route: &'static str,
        method: &'static str,
        status: StatusCode,
        took: Duration,
    ) {
        self.requests
            .get_or_create(&RequestLabels {
                route,
                method,
                status: status.as_u16(),
            })
            .inc();
        self.latency
            .get_or_create(&RouteLabels { route })
            .observe(took.as_secs_f64());
    }

    /// The whole in the text form of Prometheus.
    pub(crate) fn text(&self) -> Result<String, fmt::Error> {
        let mut text = String::new();
        let registry = self.registry.read().unwrap_or_else(PoisonError::into_inner);
        encode(&mut text, &registry)?;
        Ok(text)
    }
}

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Metrics")
    }
}

#[derive(Clone, Copy)]
enum Kind {
    Gauge,
    Counter,
}

/// A metric whose values are asked for when they are shown.
struct Observed {
    name: &'static str,
    help: &'static str,
    kind: Kind,
    read: Box<dyn Fn() -> Vec<Sample> + Send + Sync>,
}

impl fmt::Debug for Observed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl Collector for Observed {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let metric_type = match self.kind {
            Kind::Gauge => MetricType::Gauge,
            Kind::Counter => MetricType::Counter,
        };
        let mut metric = encoder.encode_descriptor(self.name, self.help, None, metric_type)?;
        let samples = (self.read)();
        if let [only] = samples.as_slice()
            && only.labels.is_empty()
        {
            return self.kind.encode(only.value, metric);
        }
        for sample in samples {
            let labelled = metric.encode_family(&sample.labels)?;
            self.kind.encode(sample.value, labelled)?;
        }
        Ok(())
    }
}

impl Kind {
    fn encode(self, value: f64, encoder: MetricEncoder<'_>) -> Result<(), fmt::Error> {
        match self {
            Self::Gauge => ConstGauge::new(value).encode(encoder),
            Self::Counter => ConstCounter::new(value).encode(encoder),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_holds_what_was_counted_and_what_is_observed() {
        let metrics = Metrics::new("1.2.3", "sqlite");
        metrics.gauge("vintem_outbox_depth", "Waiting", || {
            vec![Sample::plain(7.0)]
        });
        metrics.counter("vintem_deliveries", "Attempts", || {
            vec![
                Sample::of("outcome", "ok", 2.0),
                Sample::of("outcome", "failed", 1.0),
            ]
        });
        for _ in 0..2 {
            metrics.answered("/v1/store", "GET", StatusCode::OK, Duration::from_millis(3));
        }
        let text = metrics.text().unwrap();
        for line in [
            r#"vintem_build_info{version="1.2.3",database="sqlite"} 1"#,
            r#"vintem_http_requests_total{route="/v1/store",method="GET",status="200"} 2"#,
            r#"vintem_http_request_duration_seconds_bucket{le="0.005",route="/v1/store"} 2"#,
            r#"vintem_http_request_duration_seconds_bucket{le="0.002",route="/v1/store"} 0"#,
            "vintem_outbox_depth 7.0",
            r#"vintem_deliveries_total{outcome="ok"} 2.0"#,
            r#"vintem_deliveries_total{outcome="failed"} 1.0"#,
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
    }
}

package dev.headway.probes.otel.live;

import dev.headway.api.probe.Probe;
import dev.headway.api.probe.ProbeContext;
import dev.headway.api.probe.ProbeProvider;
import dev.headway.events.live.LiveOptions;
import dev.headway.events.live.LiveProbe;
import dev.headway.events.live.NamedOptions;
import dev.headway.events.live.RecordConsumer;
import dev.headway.events.record.RecordVisitor;
import dev.headway.probes.otel.metric.Metrics;
import dev.headway.probes.otel.metric.MetricsEndpoint;
import dev.headway.probes.otel.metric.MetricsOptions;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes a probe that serves {@code /metrics} while the engine runs; its name is {@code prometheus}.
 *
 * <table>
 *   <caption>Options</caption>
 *   <tr><td>port</td><td>9464 unless set, OpenTelemetry's for Prometheus; 0 takes any</td></tr>
 *   <tr><td>host</td><td>localhost unless set: every client that reaches it can read it</td></tr>
 *   <tr><td>model</td><td>label model_name; the run attribute model unless set</td></tr>
 *   <tr><td>engine</td><td>label engine, 0 unless set</td></tr>
 *   <tr><td>compat</td><td>vllm, or sglang for SGLang's names beside vLLM's; vllm unless set</td></tr>
 * </table>
 *
 * <p>And those of {@link NamedOptions}. A server with its own endpoint makes the consumer: {@code
 * LiveProbe.of(new Metrics(options, registry))}.
 */
public final class PrometheusProbeProvider implements ProbeProvider {

  private static final Logger LOG = LoggerFactory.getLogger(PrometheusProbeProvider.class);
  private static final int PORT = 9_464;

  /** Called by {@link java.util.ServiceLoader}. */
  public PrometheusProbeProvider() {}

  @Override
  public String name() {
    return "prometheus";
  }

  @Override
  public String description() {
    return "Serves metrics to Prometheus over HTTP.";
  }

  /**
   * Opens the endpoint.
   *
   * @throws IOException if the address is taken
   * @throws IllegalArgumentException if an option is unknown or out of range
   */
  @Override
  public Probe create(ProbeContext context) throws IOException {
    final NamedOptions options =
        new NamedOptions(name(), context.options(), "port", "host", "model", "engine", "compat");
    final LiveOptions live = options.live();
    final InetSocketAddress address =
        new InetSocketAddress(
            Objects.requireNonNullElse(options.text("host"), "localhost"),
            (int) options.number("port", PORT, 0, 65_535));
    final MetricsOptions usual = MetricsOptions.defaults();
    final Metrics metrics =
        new Metrics(
            usual
                .withModelName(options.text("model"))
                .withCompat(options.choice("compat", usual.compat()))
                .withEngine(Objects.requireNonNullElse(options.text("engine"), usual.engine())));
    final MetricsEndpoint endpoint = MetricsEndpoint.open(metrics, address);
    LOG.info("serving metrics: address={}, path=/metrics", endpoint.address());
    return LiveProbe.of(live, List.of(new Served(metrics, endpoint)));
  }

  /** Metrics, and the endpoint that goes with them. */
  private record Served(Metrics metrics, MetricsEndpoint endpoint) implements RecordConsumer {

    @Override
    public RecordVisitor visitor() {
      return metrics;
    }

    @Override
    public void flush(long records) {
      metrics.flush(records);
    }

    @Override
    public void close() {
      endpoint.close();
      metrics.close();
    }
  }
}

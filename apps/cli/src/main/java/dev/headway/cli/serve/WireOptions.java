package dev.headway.cli.serve;

import dev.headway.api.probe.Probe;
import dev.headway.cli.command.InRange;
import dev.headway.cli.command.Needs;
import dev.headway.events.live.LiveProbe;
import dev.headway.kvcache.wire.VllmBlockHasher;
import dev.headway.routing.fpm.ForwardPassPublisher;
import dev.headway.routing.kvevents.KvEventsOptions;
import dev.headway.routing.kvevents.KvEventsProbe;
import dev.headway.routing.kvevents.codec.KvEventDialect;
import dev.headway.routing.zmq.ZmqEndpoint;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import tools.jackson.databind.node.JsonNodeFactory;

/** What {@code headway serve} publishes for routers and planners, in vLLM's names and formats. */
final class WireOptions {

  /** Layouts that others write too; those only to be read are not offered. */
  enum Dialect {
    /** Arrays, which every reader understands. */
    ARRAY(KvEventDialect.ARRAY),
    /** Events as maps, as newer releases of vLLM send them. */
    MAP(KvEventDialect.MAP);

    private final KvEventDialect dialect;

    Dialect(KvEventDialect dialect) {
      this.dialect = dialect;
    }
  }

  @Option(
      names = "--kv-events-endpoint",
      paramLabel = "ADDRESS",
      description =
          "Publish what the KV cache holds over ZeroMQ, as vLLM does: tcp://*:5557 is bound, an"
              + " address without a star is connected to (none).")
  @Nullable String endpoint;

  @Needs("--kv-events-endpoint")
  @Option(
      names = "--kv-events-replay-endpoint",
      paramLabel = "ADDRESS",
      description = "Where routers ask for events that they missed, as in tcp://*:5558 (none).")
  @Nullable String replayEndpoint;

  @Needs("--kv-events-endpoint")
  @Option(
      names = "--kv-events-topic",
      paramLabel = "TEXT",
      description = "Topic of the events; llm-d wants kv@POD@MODEL (empty).")
  String topic = "";

  @Needs("--kv-events-endpoint")
  @Option(
      names = "--kv-events-dialect",
      paramLabel = "NAME",
      description = "Layout of the events: array, or map as newer vLLM (${DEFAULT-VALUE}).")
  Dialect dialect = Dialect.ARRAY;

  @Needs("--kv-events-endpoint")
  @Option(
      names = "--kv-events-hash",
      paramLabel = "NAME",
      description =
          "Names of blocks: own, or sha256_cbor for routers that compute vLLM's (${DEFAULT-VALUE}).")
  BlockNaming hash = BlockNaming.OWN;

  @Needs(value = "--kv-events-hash", is = "sha256_cbor")
  @Option(
      names = "--kv-events-hash-seed",
      paramLabel = "TEXT",
      defaultValue = BlockNaming.SEED,
      description =
          "Seed of sha256_cbor, the same for all that are to agree: the value of PYTHONHASHSEED, or"
              + " vLLM's own without it.")
  String hashSeed = VllmBlockHasher.DEFAULT_SEED;

  @InRange(from = 0, to = 65_535)
  @Option(
      names = "--forward-pass-metrics-port",
      paramLabel = "N",
      description =
          "Publish what each step computed over ZeroMQ, for Dynamo's planner; 0 is off"
              + " (${DEFAULT-VALUE}).")
  int forwardPassMetricsPort;

  private @Nullable String kvEventsConfig;

  /**
   * Opens what was asked for.
   *
   * @param host where the server listens
   * @param workerId how the stream of forward passes names this server
   * @param described gets a line for each
   * @param opened gets each probe as soon as it is open
   * @throws IOException if an address cannot be had
   * @throws IllegalArgumentException naming the option that is wrong
   */
  void open(String host, String workerId, List<String> described, Consumer<Probe> opened)
      throws IOException {
    if (endpoint == null && replayEndpoint != null) {
      throw new IllegalArgumentException(
          "--kv-events-replay-endpoint must come with --kv-events-endpoint:"
              + " --kv-events-replay-endpoint="
              + replayEndpoint);
    }
    try {
      if (endpoint != null) {
        openEvents(endpoint, described, opened);
      }
      if (forwardPassMetricsPort > 0) {
        openForwardPasses(host, workerId, described, opened);
      }
    } catch (IllegalStateException e) { // the address is taken, or none
      throw new IOException(e.getMessage(), e);
    }
  }

  private void openEvents(String address, List<String> described, Consumer<Probe> opened) {
    final KvEventsOptions options =
        KvEventsOptions.at(address)
            .withReplay(replayEndpoint)
            .withTopic(topic)
            .withDialect(dialect.dialect);
    final KvEventsProbe probe =
        hash == BlockNaming.OWN
            ? KvEventsProbe.open(options)
            : KvEventsProbe.open(options, new VllmNames(hashSeed));
    opened.accept(probe);
    final String replay = probe.publisher().replayEndpoint();
    if (ZmqEndpoint.isBound(address)) { // others can connect to it
      kvEventsConfig =
          JsonNodeFactory.instance
              .objectNode()
              .put("enable_kv_cache_events", true)
              .put("publisher", "zmq")
              .put("endpoint", probe.publisher().endpoint())
              .put("replay_endpoint", replay)
              .put("topic", topic)
              .toString();
    }
    described.add(
        "KV events at "
            + probe.publisher().endpoint()
            + (replay == null ? "" : ", replay at " + replay)
            + (topic.isEmpty() ? "" : ", topic " + topic)
            + ", dialect "
            + lower(dialect)
            + ", names "
            + lower(hash)
            + (hashSeed == null ? "" : " of seed " + hashSeed));
  }

  private static String lower(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  /** The announcement of the events to routers, as JSON; null if there are none to connect to. */
  @Nullable String kvEventsConfig() {
    return kvEventsConfig;
  }

  private void openForwardPasses(
      String host, String workerId, List<String> described, Consumer<Probe> opened) {
    final String place = host.equals("0.0.0.0") ? "*" : host;
    final ForwardPassPublisher publisher =
        ForwardPassPublisher.open(
            "tcp://" + place + ":" + forwardPassMetricsPort, workerId, 0, null);
    opened.accept(LiveProbe.of(new ForwardPassStream(publisher)));
    described.add("forward passes at " + publisher.endpoint());
  }
}

package dev.headway.routing.kvevents;

import dev.headway.api.probe.Probe;
import dev.headway.api.probe.ProbeContext;
import dev.headway.api.probe.ProbeProvider;
import dev.headway.routing.kvevents.codec.KvEventDialect;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The probe {@code kv-events}: {@link KvEventsProbe} by name.
 *
 * <table>
 *   <caption>Options</caption>
 *   <tr><td>endpoint</td><td>where to publish (tcp://*:5557)</td></tr>
 *   <tr><td>replay-endpoint</td><td>where to answer what was missed (nowhere)</td></tr>
 *   <tr><td>topic</td><td>first frame of each message (empty)</td></tr>
 *   <tr><td>dialect</td><td>array (unless set) or map</td></tr>
 * </table>
 */
public final class KvEventsProbeProvider implements ProbeProvider {

  /** Where vLLM publishes unless configured otherwise. */
  public static final String DEFAULT_ENDPOINT = "tcp://*:5557";

  private static final Set<String> OPTIONS =
      new TreeSet<>(Set.of("endpoint", "replay-endpoint", "topic", "dialect"));

  /** Called by {@link java.util.ServiceLoader}. */
  public KvEventsProbeProvider() {}

  @Override
  public String name() {
    return "kv-events";
  }

  @Override
  public String description() {
    return "Publishes what the KV cache holds over ZeroMQ, as vLLM does, for routers.";
  }

  @Override
  public Probe create(ProbeContext context) {
    final Map<String, String> given = context.options();
    for (String option : given.keySet()) {
      if (!OPTIONS.contains(option)) {
        throw new IllegalArgumentException(
            "the probe kv-events must have options it knows: option="
                + option
                + ", known="
                + OPTIONS);
      }
    }
    return KvEventsProbe.open(
        KvEventsOptions.at(given.getOrDefault("endpoint", DEFAULT_ENDPOINT))
            .withReplay(given.get("replay-endpoint"))
            .withTopic(given.getOrDefault("topic", ""))
            .withDialect(dialect(given.getOrDefault("dialect", "array"))));
  }

  private static KvEventDialect dialect(String label) {
    return switch (label) {
      case "array" -> KvEventDialect.ARRAY;
      case "map" -> KvEventDialect.MAP;
      default ->
          throw new IllegalArgumentException(
              "the option dialect of the probe kv-events must be array or map: dialect=" + label);
    };
  }
}

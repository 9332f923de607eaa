package dev.headway.router.registry;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Where a worker publishes its KV events.
 *
 * @param endpoint ZeroMQ address to connect to, as in {@code tcp://host:5557}
 * @param replayEndpoint where events that were missed are asked for; null for nowhere
 * @param topic prefix of the topics to receive; empty for all
 */
public record KvEventSource(String endpoint, @Nullable String replayEndpoint, String topic) {

  /**
   * Reads what an engine was configured with, {@code {"endpoint": "tcp://*:5557",
   * "replay_endpoint": ..., "topic": ...}} of vLLM's and SGLang's {@code kv_events_config}, which
   * may be a text with this in it. An address that the engine binds on all interfaces is taken to
   * be at the worker's host.
   *
   * @return null if there is no endpoint
   */
  public static @Nullable KvEventSource read(JsonNode config, String host) {
    JsonNode json = config;
    if (json.isString()) {
      try {
        json = JsonMapper.shared().readTree(json.stringValue());
      } catch (JacksonException e) {
        return null;
      }
    }
    final String endpoint = json.path("endpoint").asString("");
    if (endpoint.isBlank()) {
      return null;
    }
    final String replay = json.path("replay_endpoint").asString("");
    return new KvEventSource(
        at(endpoint, host),
        replay.isBlank() ? null : at(replay, host),
        json.path("topic").asString(""));
  }

  private static String at(String address, String host) {
    final String place = host.contains(":") ? "[" + host + "]" : host;
    return address
        .replace("//*:", "//" + place + ":")
        .replace("//0.0.0.0:", "//" + place + ":")
        .replace("//[::]:", "//" + place + ":");
  }
}

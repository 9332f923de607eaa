package dev.headway.loadgen.client;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * What every request of a run has in its body.
 *
 * @param endpoint the route
 * @param model the model's name
 * @param stream whether the answer comes token by token
 * @param ignoreEos whether the model shall go on to the length that is asked for
 * @param temperature null leaves it to the server
 * @param returnTiming whether the server is asked for its instants
 * @param extra further fields, which replace those of the same name; or null
 */
public record BodyOptions(
    Endpoint endpoint,
    String model,
    boolean stream,
    boolean ignoreEos,
    @Nullable Double temperature,
    boolean returnTiming,
    @Nullable ObjectNode extra) {}

package dev.headway.server;

import dev.headway.routing.timing.ServerTiming;
import dev.headway.routing.timing.TimingJson;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** The JSON of one answer, whole or in parts. One thread. */
interface Answer {

  /** The whole answer. */
  ObjectNode whole(List<ChoiceText> done, int promptTokens);

  /** What a stream says of a choice before its first token, or null if that is nothing. */
  @Nullable ObjectNode opening(int choice);

  /** What became certain of a choice. */
  ObjectNode part(ChoiceText choice);

  /**
   * What a stream says at its end.
   *
   * @param usage whether the tokens were asked for
   */
  ObjectNode closing(List<ChoiceText> done, int promptTokens, boolean usage);

  /**
   * Adds the instants of the request to a whole answer or to the end of a stream.
   *
   * @param toUnixNs what makes calendar time of an instant
   */
  default void addTiming(ObjectNode json, ServerTiming timing, long toUnixNs) {
    json.set(TimingJson.SERVER_FIELD, TimingJson.write(timing));
  }
}

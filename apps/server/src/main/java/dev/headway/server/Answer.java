package dev.headway.server;

import dev.headway.routing.timing.ServerTiming;
import dev.headway.routing.timing.TimingJson;
import dev.headway.serving.ChoiceText;
import java.util.List;
import tools.jackson.databind.node.ObjectNode;

/** The JSON of one answer, whole or in parts. One thread. */
interface Answer {

  /** The whole answer. */
  ObjectNode whole(List<ChoiceText> done, int promptTokens);

  /**
   * A token of a choice, with what of its text became certain, and how it ended if it did.
   *
   * @param promptTokens of the request, for those that want the usage so far with every token
   */
  ObjectNode part(ChoiceText choice, int promptTokens);

  /** Whether {@link #closing} has the last token in it, and no part of its own is sent. */
  default boolean closesWithLastToken() {
    return false;
  }

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

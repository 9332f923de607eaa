package dev.headway.serving.reply;

import dev.headway.api.request.Request;
import dev.headway.serving.tool.ToolUse;
import java.util.List;

/**
 * A request that the engine can have.
 *
 * @param promptTokenIds its prompt
 * @param stopStrings texts that end the answer; they are not part of it
 * @param tools what of the answer is calls
 * @param arrivalNs when it was asked for, of the engine's clock
 * @param names of parameters, for messages
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record ReplyCall(
    Request request,
    int[] promptTokenIds,
    List<String> stopStrings,
    ToolUse tools,
    long arrivalNs,
    ReplyNames names) {}

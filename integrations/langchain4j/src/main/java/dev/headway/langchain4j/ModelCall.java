package dev.headway.langchain4j;

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
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record ModelCall(
    Request request,
    int[] promptTokenIds,
    List<String> stopStrings,
    ToolUse tools,
    long arrivalNs) {}

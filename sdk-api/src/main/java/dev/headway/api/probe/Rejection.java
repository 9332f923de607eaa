package dev.headway.api.probe;

import dev.headway.api.request.RejectReason;
import dev.headway.api.request.Request;

/**
 * A request that was refused at submission.
 *
 * @param request what was asked for
 * @param reason which rule refused it
 * @param message the rule with the numbers
 * @param arrivalNs instant of submission and refusal
 */
public record Rejection(Request request, RejectReason reason, String message, long arrivalNs) {}

package dev.headway.scheduler.engine;

import dev.headway.api.request.RejectReason;
import dev.headway.api.request.Request;

/** A request that was refused at submission, on its way to the probes. */
record RefusedRequest(Request request, RejectReason reason, String message, long arrivalNs) {}

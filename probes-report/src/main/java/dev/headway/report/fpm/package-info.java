/**
 * Forward-pass metrics: one record per iteration in the shape F1 that Dynamo's planner and SGLang
 * share. On a wire they are msgpack maps on a ZeroMQ socket; here they are JSON lines with the same
 * members in the same order, so that no message bus is a dependency.
 */
@NullMarked
package dev.headway.report.fpm;

import org.jspecify.annotations.NullMarked;

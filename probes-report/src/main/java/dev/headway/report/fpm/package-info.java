/**
 * Forward-pass metrics: one record per iteration in the shape F1 that Dynamo's planner and SGLang
 * share, found in a journal or a live engine and written as JSON lines. On a wire they are msgpack
 * maps on a ZeroMQ socket, which is left to others.
 */
@NullMarked
package dev.headway.report.fpm;

import org.jspecify.annotations.NullMarked;

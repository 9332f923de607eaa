package dev.headway.events.model;

/**
 * Why a request waits.
 *
 * @param index of this pair in its run, from 0
 * @param reason the scheduler's word
 * @param root the same, but for {@code head_of_line} the reason of the request in front: what would
 *     have to change for this one to go on
 */
public record Cause(int index, String reason, String root) {}

-- What one node of a Graph did in a Run, or one thread of a Function. Most Steps of Functions are in the main lane.
create index steps_lane on steps (run_id, lane, position) where lane <> 'main';
